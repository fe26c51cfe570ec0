/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only */
/* What tc(8) says to the queue "eds", and what that says back. Include eds.h first. */
#ifndef TAMANOIR_EDS_NETLINK_H
#define TAMANOIR_EDS_NETLINK_H

#define EDS_CODE_POINTS 64

enum {
	TCA_EDS_UNSPEC,
	TCA_EDS_PARAMETERS,	/* struct eds_parameters */
	TCA_EDS_CLASS_OF,	/* __u8 [EDS_CODE_POINTS]: the class, from 0, of each DSCP; what is neither IPv4 nor IPv6 goes with DSCP 0 */
	TCA_EDS_LAST = TCA_EDS_CLASS_OF,
};

/* Since the queue was made. */
struct eds_statistics {
	struct {
		__u64 arrived;
		__u64 lost;
		__u64 sent;
		__u64 waited;	/* nanoseconds, of those that were sent */
	} classes[EDS_CLASSES];
};

#endif
