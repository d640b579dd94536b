"""What an edit picks from: the values of choice widgets, words of prompts, nodes to add."""

from __future__ import annotations

import random
from typing import Any

NOTES = frozenset({"Note", "MarkdownNote"})
CONTROLS = ("fixed", "increment", "decrement", "randomize")
SAMPLERS = (
    "euler",
    "euler_ancestral",
    "heun",
    "dpm_2",
    "dpmpp_2m",
    "dpmpp_2m_sde",
    "dpmpp_3m_sde",
    "lcm",
    "ddim",
    "uni_pc",
    "res_multistep",
)
SCHEDULERS = ("normal", "karras", "exponential", "sgm_uniform", "simple", "beta", "kl_optimal")
SCALING = ("nearest-exact", "bilinear", "area", "bicubic", "lanczos")
PRECISION = ("default", "fp8_e4m3fn", "fp8_e4m3fn_fast", "fp8_e5m2")
_CHOICES = (CONTROLS, SAMPLERS, SCHEDULERS, SCALING, PRECISION)

IMAGES = (
    "example.png",
    "ComfyUI_00017_.png",
    "ComfyUI_00342_.png",
    "portrait_reference.png",
    "clipspace-mask-1748293.png",
)
MODELS = (
    "flux1-dev-fp8.safetensors",
    "sd_xl_base_1.0.safetensors",
    "v1-5-pruned-emaonly-fp16.safetensors",
    "wan2.2_t2v_high_noise_14B_fp8_scaled.safetensors",
    "qwen_image_fp8_e4m3fn.safetensors",
    "umt5_xxl_fp8_e4m3fn_scaled.safetensors",
    "ae.safetensors",
)

WORDS = (
    *("cinematic", "soft", "golden", "hour", "backlit", "portrait", "wide", "shot", "misty"),
    *("forest", "neon", "street", "rainy", "detailed", "skin", "texture", "35mm", "bokeh"),
    *("watercolor", "studio", "lighting", "volumetric", "fog", "ancient", "temple", "harbour"),
    *("snowy", "ridge", "silk", "dress", "weathered", "bronze", "statue", "glass", "dome"),
    *("orchid", "macro", "symmetrical", "low", "angle", "crowd", "lantern", "festival"),
)


def choices(value: str) -> tuple[str, ...] | None:
    """The list a choice widget holding ``value`` offers, or None for free text."""
    for offered in _CHOICES:
        if value in offered:
            return offered
    if value.endswith((".png", ".jpg", ".jpeg", ".webp")):
        return IMAGES
    return MODELS if value.endswith(".safetensors") else None


def new_node(rng: random.Random) -> dict[str, Any]:
    """A node as the editor writes it, not yet in a graph: no id, no links."""
    kind, size, inputs, widgets, outputs = rng.choice(_NODES)
    return {
        "id": 0,
        "type": kind,
        "pos": [rng.randint(-2000, 2000), rng.randint(-2000, 2000)],
        "size": list(size),
        "flags": {},
        "order": 0,
        "mode": 0,
        "inputs": [
            *({"localized_name": n, "name": n, "type": t, "link": None} for n, t in inputs),
            *(
                {"localized_name": n, "name": n, "type": t, "widget": {"name": n}, "link": None}
                for n, t, _ in widgets
            ),
        ],
        "outputs": [{"localized_name": t, "name": t, "type": t, "links": []} for t in outputs],
        "properties": {"cnr_id": "comfy-core", "ver": "0.3.64", "Node name for S&R": kind},
        "widgets_values": [value for _, _, value in widgets],
    }


_NODES: tuple[
    tuple[
        str,
        tuple[int, int],
        tuple[tuple[str, str], ...],
        tuple[tuple[str, str, object], ...],
        tuple[str, ...],
    ],
    ...,
] = (
    ("PreviewImage", (210, 246), (("images", "IMAGE"),), (), ()),
    ("SaveImage", (270, 270), (("images", "IMAGE"),), (("filename_prefix", "STRING", "Out"),), ()),
    ("VAEDecode", (210, 46), (("samples", "LATENT"), ("vae", "VAE")), (), ("IMAGE",)),
    (
        "CLIPTextEncode",
        (400, 200),
        (("clip", "CLIP"),),
        (("text", "STRING", "a misty forest at golden hour, soft light"),),
        ("CONDITIONING",),
    ),
    (
        "LoraLoaderModelOnly",
        (270, 82),
        (("model", "MODEL"),),
        (("lora_name", "COMBO", "detail_v2.safetensors"), ("strength_model", "FLOAT", 1.0)),
        ("MODEL",),
    ),
    (
        "ImageScaleToTotalPixels",
        (270, 82),
        (("image", "IMAGE"),),
        (("upscale_method", "COMBO", "lanczos"), ("megapixels", "FLOAT", 1.0)),
        ("IMAGE",),
    ),
    (
        "LoadImage",
        (270, 314),
        (),
        (("image", "COMBO", "example.png"), ("upload", "IMAGEUPLOAD", "image")),
        ("IMAGE", "MASK"),
    ),
    (
        "KSampler",
        (270, 262),
        (
            ("model", "MODEL"),
            ("positive", "CONDITIONING"),
            ("negative", "CONDITIONING"),
            ("latent_image", "LATENT"),
        ),
        (
            ("seed", "INT", 156680208700286),
            ("control_after_generate", "COMBO", "randomize"),
            ("steps", "INT", 20),
            ("cfg", "FLOAT", 8.0),
            ("sampler_name", "COMBO", "euler"),
            ("scheduler", "COMBO", "normal"),
            ("denoise", "FLOAT", 1.0),
        ),
        ("LATENT",),
    ),
)
