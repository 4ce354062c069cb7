"""Annotation names that orchestrators and krmkit put on resources."""

from __future__ import annotations

PATH = "internal.config.kubernetes.io/path"
INDEX = "internal.config.kubernetes.io/index"
LEGACY_PATH = "config.kubernetes.io/path"
LEGACY_INDEX = "config.kubernetes.io/index"
PACKAGE_PATH = "internal.config.kubernetes.io/package-path"
LOCAL_CONFIG = "config.kubernetes.io/local-config"
GENERATED_BY = "krmkit.dev/generated-by"
FAIL_ON = "krmkit.dev/fail-on"
