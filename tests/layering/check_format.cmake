# SPDX-FileCopyrightText: 2026 The Rematscope authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# cmake -DCLANG_FORMAT=… -DROOT=… -P check_format.cmake: fails with file and line where the formatter would change text.

set(sources "")
foreach(folder core gpu ui app tests)
    file(GLOB_RECURSE found "${ROOT}/${folder}/*.h" "${ROOT}/${folder}/*.cpp")
    list(APPEND sources ${found})
endforeach()
list(LENGTH sources count)
if(count LESS 50)
    message(FATAL_ERROR "Only ${count} source files under ${ROOT}; this is not the checkout.")
endif()
execute_process(COMMAND "${CLANG_FORMAT}" --dry-run --Werror --style=file ${sources} RESULT_VARIABLE result)
if(NOT result EQUAL 0)
    message(FATAL_ERROR "Run clang-format -i on the files named above.")
endif()
message(STATUS "${count} files are formatted.")
