/* Output of the advice on a loss (ch_advise_loss()). */
#pragma once

#include <conehull/anchors.h>
#include <jansson.h>

/* Prints the reasons and the options to try. */
void cli_advice_print(const ch_loss_advice *advice);
json_t *cli_advice_json(const ch_loss_advice *advice);
