#ifndef SATCHEL_CREADLINE_SHIM_H
#define SATCHEL_CREADLINE_SHIM_H

#include <stdio.h>
#include <readline/readline.h>
#include <readline/history.h>

#endif
