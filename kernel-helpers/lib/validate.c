/* SPDX-License-Identifier: Apache-2.0 */
/* Ranges of what callers give. The programs rely on them. */
#include "internal.h"

#include <errno.h>
#include <string.h>

#define DSCP_MOST 63

bool tam_address_is_ipv4(const uint8_t address[16])
{
	static const uint8_t mapped[12] = {[10] = 0xff, [11] = 0xff};

	return !memcmp(address, mapped, sizeof(mapped));
}

static bool good_meter(const struct tam_rule *rule)
{
	if (rule->meter == TAM_METER_NONE)
		return true;
	if (rule->cir < 1 || rule->cir > TAM_RATE_MOST || rule->cbs > TAM_BURST_MOST || rule->pbs > TAM_BURST_MOST)
		return false;
	if (rule->meter == TAM_METER_SINGLE_RATE)	/* RFC 2697, section 2 */
		return rule->pir == 0 && (rule->cbs > 0 || rule->pbs > 0);
	return rule->meter == TAM_METER_TWO_RATE	/* RFC 2698, section 2 */
	       && rule->pir >= rule->cir && rule->pir <= TAM_RATE_MOST && rule->cbs > 0 && rule->pbs > 0;
}

static bool good_treatments(const struct tam_rule *rule)
{
	for (int colour = 0; colour < 3; colour++)
		if (rule->treat[colour] > TAM_TREAT_MARK || rule->treat_dscp[colour] > DSCP_MOST)
			return false;
	return true;
}

/* One to four, each kind once, none behind drop or forward. */
static bool good_actions(const struct tam_rule *rule)
{
	uint32_t seen = 0;
	bool over = false;

	for (int i = 0; i < TAM_ACTIONS; i++) {
		uint32_t action = rule->actions[i];

		if (action > TAM_ACTION_FORWARD || (action == TAM_ACTION_NONE && i == 0))
			return false;
		if (action == TAM_ACTION_NONE) {
			over = true;
			continue;
		}
		if (over || (seen & 1U << action))
			return false;
		if (rule->passing && action != TAM_ACTION_COUNT && action != TAM_ACTION_DROP)
			return false;
		seen |= 1U << action;
		over = action >= TAM_ACTION_DROP;
	}
	return !(seen & 1U << TAM_ACTION_POLICE) == (rule->meter == TAM_METER_NONE);
}

int tam_rule_check(const struct tam_rule *rule)
{
	static const uint8_t zero[4];
	bool good = rule->has_type <= 1 && rule->has_session <= 1 && (!rule->has_session || rule->session != 0)
		    && rule->destination_bits <= 128 && rule->source_bits <= 128 && rule->passing <= 1 && rule->colour_aware <= 1
		    && rule->dscp <= DSCP_MOST && !memcmp(rule->zero, zero, sizeof(zero))
		    && !(rule->reserved[0] | rule->reserved[1] | rule->reserved[2]);

	return good && good_meter(rule) && good_treatments(rule) && good_actions(rule) ? 0 : -EINVAL;
}

/* A link-local address means another host on each link; a flow knows no link. */
static bool good_address(const uint8_t address[16])
{
	static const uint8_t none[16];

	if (tam_address_is_ipv4(address))
		return address[12] != 0 && address[12] < 224 && !(address[12] == 169 && address[13] == 254);
	return memcmp(address, none, sizeof(none)) != 0 && address[0] != 0xff && !(address[0] == 0xfe && (address[1] & 0xc0) == 0x80);
}

int tam_flow_check(const struct tam_flow *flow)
{
	bool ipv4 = tam_address_is_ipv4(flow->sender);
	bool good = flow->has_stream <= 1 && flow->sender_port && flow->next_port && flow->local_port
		    && flow->gated <= 1 && !(flow->zero | flow->reserved[0] | flow->reserved[1])
		    && good_address(flow->sender) && good_address(flow->next) && good_address(flow->local)
		    && tam_address_is_ipv4(flow->next) == ipv4 && tam_address_is_ipv4(flow->local) == ipv4;

	return good ? 0 : -EINVAL;
}
