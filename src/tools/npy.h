/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Arrays in files: NumPy's .npy format, and raw elements whose dtype and shape the user gives.
 */
#ifndef BELAY_TOOLS_NPY_H
#define BELAY_TOOLS_NPY_H

#include "tools/array.h"

/*
 * Reads an .npy file of format version 1 to 3, either byte order, either element order. The 2-byte void type,
 * which NumPy writes for bfloat16, is read as BF16, that of 1 byte as UINT8 that is_of_codes, and a float of 1
 * byte, as the package ml_dtypes writes one, as FLOAT8_E5M2. The file is not trusted: what its header says is checked
 * against what the file holds before memory is taken for it. The caller destroys the array.
 */
bool npy_read(const char *path, struct array *array, struct fault *fault);

/* Reads a file that holds just the elements, in this processor's byte order. */
bool raw_read(const char *path, aclDataType dtype, uint32_t rank, const int64_t *shape, struct array *array,
              struct fault *fault);

/*
 * Writes an .npy file, last index fastest; as a whole, as output_file.h says. BF16 and floats of
 * 8 bits are written as void types of 2 bytes and of 1, which NumPy reads.
 */
bool npy_write(const char *path, const struct array *array, struct fault *fault);

#endif
