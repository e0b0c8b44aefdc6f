"""An example project that makes its own data: short texts about people and organisations."""
