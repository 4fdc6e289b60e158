// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "composition.h"

int main(int argc, char **argv)
{
    return remat::app::runRemat(argc, argv);
}
