"""Every way a picture can fail to give a workflow; the message names the picture."""

from __future__ import annotations

from casstore.errors import CasstoreError


class PictureError(CasstoreError):
    """The root. The details hold the picture's ``path``."""

    code = "picture"
    exit_code = 2


class UnknownPicture(PictureError):
    """A file of a kind that is not read, or no picture at all."""

    code = "unknown_picture"


class NoWorkflow(PictureError):
    """A whole picture that holds no workflow, or none that can be used."""

    code = "no_workflow"


class BrokenPicture(PictureError):
    """The picture is cut off or contradicts itself before any workflow was found."""

    code = "broken_picture"


class PictureLimit(PictureError):
    """The picture asks for more than is read of one picture: `casstore.pictures.file.MAX_TEXT`
    bytes of text or `casstore.pictures.file.MAX_PARTS` parts."""

    code = "picture_limit"
