"""Where blobs and versions live. One module or package per engine; `base` is the contract."""
