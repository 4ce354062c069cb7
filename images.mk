# Images: see docs/images.md. ENGINE=docker|podman|buildah (default: the first that works), TAG=v1.2.0 (default: of this version),
# BASE_IMAGE=... (default: the project's own, from `make base-image`), SOURCE=... (the repository's address, for a label; default: `source` in
# pyproject.toml, which is empty, and then there is no label).
export ENGINE TAG BASE_IMAGE SOURCE

.PHONY: wheels image images base-image sbom bundle release-catalog e2e-images venv-sbom

wheels: venv ## the wheels of an image, fetched by hash (FUNCTION=name, catalog, or topology-extension)
	@test -n "$(FUNCTION)" || { echo "name the function: make wheels FUNCTION=apply-presets" >&2; exit 2; }
	@$(DEV) -m tools.images.wheels "$(FUNCTION)"

image: venv ## the image of a function (FUNCTION=name, catalog: all in one, topology-extension: the server)
	@test -n "$(FUNCTION)" || { echo "name the function: make image FUNCTION=apply-presets" >&2; exit 2; }
	@$(DEV) -m tools.images.build "$(FUNCTION)"

images: venv ## all images: the functions, catalog, and the server of extensions
	@$(DEV) -m tools.images.build --all

base-image: venv ## the base image from Debian's packages (as root; needs debootstrap)
	@$(DEV) -m tools.images.base

venv-sbom:
	@tools/venv.sh .venv-sbom requirements/sbom.txt

sbom: venv-sbom ## bills of materials, in build/sbom (FUNCTION=name, or all)
	@.venv-sbom/bin/python -m tools.images.sbom $(or $(FUNCTION),--all)

bundle: sbom ## images and bills of materials as files, for machines without a registry
	@.venv-sbom/bin/python -m tools.images.bundle

release-catalog: wheel ## the catalog of a release: its images' tags and digests, in dist (after bundle; TAG=v1.2.0)
	@$(DEV) -m tools.images.release

e2e-images: venv ## the images, in the real kpt and kubectl kustomize
	@KRMKIT_REQUIRE_IMAGES=1 $(PYTEST) $(PARALLEL) -q -m images tests/e2e/test_images.py tests/e2e/test_images_extension.py tests/e2e/test_images_rights.py
