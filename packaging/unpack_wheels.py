# SPDX-FileCopyrightText: 2026 The Rematscope authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Unpacks the C++ parts of the SDK's wheels: python3 unpack_wheels.py WHEEL_FOLDER TARGET_FOLDER."""

import pathlib
import re
import sys
import zipfile

# Of torch's 1.2 GB the build needs the headers and four libraries. The layout stays that of the wheels, because
# libtorch_cpu.so looks for NVIDIA's libraries at ../../nvidia/cu13/lib. Static archives are never linked.
WANTED = re.compile(
    r"torch/include/.*"
    r"|torch/lib/(libtorch_cpu\.so|libc10\.so|libc10_cuda\.so|libgomp[^/]*)"
    r"|nvidia/cu13/(include|lib)/(?!.*\.a$).*"
    r"|[^/]+\.dist-info/(licenses/)?(LICENSE|NOTICE|License\.txt)[^/]*"
)


def main() -> int:
    wheels = sorted(pathlib.Path(sys.argv[1]).glob("*.whl"))
    target = pathlib.Path(sys.argv[2])
    if not wheels:
        print(f"No wheels in {sys.argv[1]}.", file=sys.stderr)
        return 1
    size = 0
    for wheel in wheels:
        with zipfile.ZipFile(wheel) as archive:
            members = [member for member in archive.infolist() if WANTED.fullmatch(member.filename)]
            size += sum(member.file_size for member in members)
            archive.extractall(target, members)
    print(f"Unpacked {size // 1_000_000} MB of {len(wheels)} wheels.", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
