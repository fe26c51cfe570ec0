package org.tamanoir.anep;

/**
 * Every error that Tamanoir reports, with the number that stands in messages ({@code EE-101}) and in error packets.
 * {@code docs/errors.md} says for each what happened, what it cost and what to do.
 */
public enum ErrorCode {
    /** The version is not 1. */
    BAD_VERSION(101),
    /** The header length is 0 or 1 word. */
    HEADER_TOO_SHORT(102),
    /** The header is longer than the packet. */
    HEADER_PAST_PACKET(103),
    /** An option's length is 0, or reaches past the header. */
    BAD_OPTION_LENGTH(104),
    /** A datagram's length differs from its Packet length, or a stream ends inside a packet. */
    TRUNCATED(105),
    /** The checksum option does not match the packet. */
    BAD_CHECKSUM(106),
    /** An option that is not known asks for the packet to be discarded. */
    UNKNOWN_OPTION(107),
    /** A known option holds a value that it cannot have. */
    BAD_OPTION_VALUE(108),
    /** A compressed payload cannot be restored. */
    BAD_CONTENT(109),
    /** A source asks something of a service that there is not, or that cannot be had. */
    BAD_PARAMETER(110),

    /** The first packet of a stream names no destination. */
    NO_DESTINATION(201),
    /** No route allows the destination. */
    NO_ROUTE(202),
    /** The packet has no hops left: a loop of routes. */
    HOPS_EXHAUSTED(203),
    /** The next hop or the destination cannot be reached. */
    UNREACHABLE(204),
    /** The node holds as many streams as it may. */
    TOO_MANY_STREAMS(205),
    /** The source holds as many streams as it may. */
    TOO_MANY_STREAMS_OF_SOURCE(206),
    /** A packet did not arrive whole in time. */
    HEADER_TIMEOUT(207),
    /** Nothing passed for the idle time. */
    IDLE_TIMEOUT(208),
    /** The node holds as many waiting octets as it may. */
    MEMORY_FULL(209),
    /** The node is stopping. */
    STOPPING(210),
    /** The connection ended before the stream did. */
    CONNECTION_LOST(211),
    /** The node delivers nothing to this destination: it is the node itself, loopback, or no host. */
    FORBIDDEN_DESTINATION(212),
    /** An error packet came from the source's side, where none travels. */
    MISPLACED_ERROR(213),
    /** Whoever comes in there has to use TLS. */
    TLS_NEEDED(214),
    /** A peer has not proven who it is, or this program not to the peer. */
    NOT_IDENTIFIED(215),
    /** The node's policy does not allow the stream. */
    NOT_PERMITTED(216),
    /** A token is malformed, or its issuer has not signed it. */
    BAD_TOKEN(217),
    /** A token has expired or is not valid yet. */
    TOKEN_TIME(218),
    /** A token is for somebody else. */
    TOKEN_AUDIENCE(219),
    /** The node does not know the issuer of a token. */
    TOKEN_ISSUER(220),
    /** The operator has revoked a token. */
    TOKEN_REVOKED(221),
    /** A token would leave this machine without TLS. */
    TOKEN_EXPOSED(222),
    /** The far end knows no such session: it has begun anew. */
    SESSION_UNKNOWN(223),
    /** Who resumes a session is not who opened it. */
    SESSION_FOREIGN(224),
    /** Another chain has been opened for the session since. */
    SESSION_SUPERSEDED(225),
    /** What one end of a session has is not what the other has sent. */
    SESSION_DIFFERS(226),
    /** No chain of nodes could be opened for the session in its time. */
    SESSION_LOST(227),
    /** The program at the other end has given its connection up. */
    SESSION_ABANDONED(228),
    /** The stream shall outlive its nodes, and something on its way cannot. */
    NOT_RESUMABLE(229),
    /** What services knew of a stream does not fit those that it would go on by. */
    SESSION_STATE(230),
    /** A program asks a gateway for what it does not do, or not in the words of its protocol. */
    PROXY_REQUEST(231),
    /** The rules of a gateway do not allow the destination. */
    PROXY_FORBIDDEN(232),
    /** A program has not said in time where it wants to go, or the destination has not accepted in time. */
    PROXY_TIMEOUT(233),
    /** The destination's host answers, and refuses the connection: nothing listens there. */
    DESTINATION_REFUSED(234),

    /** No source has a service with this Type ID. */
    UNKNOWN_SERVICE(301),
    /** Every source of services failed to answer. */
    REPOSITORY_UNREACHABLE(302),
    /** What a source sent is not what its index announced. */
    BUNDLE_HASH_MISMATCH(303),
    /** A source sent something that is no bundle or no index. */
    BAD_BUNDLE(304),
    /** The bundle cannot be installed or started. */
    SERVICE_START_FAILED(305),
    /** A service threw an error; its stream is ended. */
    SERVICE_ERROR(306),
    /** A service held a thread for longer than it may; its stream is ended. */
    SERVICE_TIMEOUT(307),
    /** A service emitted something that is no packet. */
    SERVICE_BAD_OUTPUT(308),
    /** A service holds more memory, queued octets or streams than it may. */
    SERVICE_LIMIT(309),
    /** A service has failed so often that streams do not get it for now. */
    SERVICE_SUSPENDED(310),
    /** The service was removed, or its version's time to drain was over. */
    SERVICE_REMOVED(311),
    /** The bundle is not signed, and only signed ones are run. */
    UNSIGNED(312),
    /** Nobody who is trusted has signed the bundle. */
    UNKNOWN_PUBLISHER(313),
    /** The bundle's content is not what was signed. */
    TAMPERED(314),
    /** The publisher's certificate is not valid at this time. */
    CERTIFICATE_EXPIRED(315),
    /** The publisher's key, or the bundle, has been revoked. */
    REVOKED(316),
    /** A node or the store has only a version that is older than what a configured repository has offered. */
    OLDER_VERSION(317),
    /** A service refuses the stream or ends it, for a reason of its own that the text says. */
    SERVICE_REFUSED(318),
    /** A program that a service runs could not be started, has ended with an error, or was ended for what it took. */
    WORKER_FAILED(319),

    /** The upload is no valid OSGi bundle. */
    NOT_A_BUNDLE(401),
    /** The bundle lacks the capability {@code tamanoir.service}. */
    NO_CAPABILITY(402),
    /** The Type ID or the name belongs to another service. */
    TYPE_ID_TAKEN(403),
    /** The version is published already with other content. */
    VERSION_EXISTS(404),
    /** The upload is larger than allowed. */
    TOO_LARGE(405),
    /** The request needs a token. */
    NOT_AUTHORISED(406),
    /** There is no such thing here. */
    NOT_FOUND(407),
    /** The request cannot be understood. */
    BAD_REQUEST(408),
    /** The disk did not take what was to be kept. */
    STORAGE(409),
    /** The server has as many requests or connections as it may. */
    BUSY(410),
    /** The bundle needs something that no node offers. */
    UNRESOLVABLE(411),
    /** The repository mirrors another one, and takes nothing itself. */
    IS_MIRROR(412),
    /** What a change was made for is not in force any more: somebody has changed it meanwhile. */
    CHANGED_MEANWHILE(413),
    /** Whoever asks may look, and not change anything. */
    NOT_ALLOWED(414),
    /** What should be TUF metadata is none, is larger than allowed, or is of another kind. */
    BAD_METADATA(420),
    /** Too few of the keys that a role has have signed its TUF metadata. */
    METADATA_UNSIGNED(421),
    /** TUF metadata is older than what is known: somebody offers an old state. */
    METADATA_ROLLBACK(422),
    /** TUF metadata has expired: nobody can say that there is nothing newer. */
    METADATA_EXPIRED(423),
    /** TUF metadata, or a target, is not what the role above says: parts of several states are mixed. */
    METADATA_MISMATCH(424),
    /** The bundle is no target that current TUF metadata lists. */
    NOT_A_TARGET(425),
    /** The TUF metadata that is kept on disk is damaged. */
    METADATA_DAMAGED(426),
    /** Somebody else has published this version of a role's TUF metadata before. */
    METADATA_TAKEN(427),
    /** No role of the TUF metadata gives this name to whoever wants to publish under it. */
    NOT_DELEGATED(428),
    /** The repository has no TUF metadata, or not all of it yet. */
    NO_METADATA(429),
    /** A registry does not answer, breaks off, is too slow, or asks for patience. */
    REGISTRY_AWAY(430),
    /** A registry does not let this program do what it wants, by its credentials or without. */
    REGISTRY_DENIES(431),
    /** A registry does not have what it is asked for. */
    REGISTRY_LACKS(432),
    /** What a registry answers is not what was asked for: other content, or nothing that makes sense. */
    REGISTRY_ANSWER(433),
    /** A registry does not take what it is sent. */
    REGISTRY_REJECTS(434),
    /** The database that a repository shares with others does not answer. */
    DATABASE_AWAY(435),
    /** The database of a repository has no room. */
    DATABASE_NO_ROOM(436),
    /** The database of a repository takes no changes: a standby. */
    DATABASE_READ_ONLY(437),
    /** A newer program has changed the database of a repository. */
    DATABASE_AHEAD(438),
    /** The database of a repository does not let it in, or has nothing of it. */
    DATABASE_REFUSES(439),

    /** The configuration is not valid; the one before stays. */
    BAD_CONFIGURATION(501),
    /** The address cannot be listened on. */
    CANNOT_LISTEN(502),
    /** The data directory is in use or cannot be used. */
    DATA_DIRECTORY(503),
    /** Something the command needs is missing on this machine. */
    MISSING_TOOL(504),
    /** What arrived is not what was sent. */
    NOT_IDENTICAL(505),
    /** Something that should not happen; the message says what. */
    INTERNAL(599),

    /** The kernel helper cannot be used; light services run in the node. */
    KERNEL(601),
    /** The rule of a light service is not valid. */
    BAD_RULE(602),
    /** There is no room for another rule. */
    RULES_FULL(603),
    /** There is no such network interface. */
    NO_INTERFACE(604),
    /** What was asked for is possible in the kernel only, and the kernel helper cannot be used. */
    NEEDS_KERNEL(605),
    /** Nothing has come from the node of a multicast session: it may not list this host as a member. */
    NODE_SILENT(606),

    /** A kernel module is built for another kernel, or is no module of ours: it is not loaded. */
    FOREIGN_MODULE(611),
    /** The kernel cannot have a queue of this kind: it takes no modules, or has no queues in BPF. */
    NO_QUEUE_KIND(612),
    /** The kernel has refused a module or a BPF program. */
    KERNEL_REFUSED(613),
    /** A rule for TCP flows of this host reaches flows that its operator does not allow. */
    TUNING_NOT_ALLOWED(621),
    /** Another process of this machine tunes TCP flows. */
    TUNING_HELD(622),
    /** The kernel does not treat connections as a rule for tuning says. */
    NOT_TUNABLE(631),

    /** What a fleet is to be makes no sense, or sets what is a node's own; the text names file and key. */
    FLEET_STATE(640),
    /** Somebody has changed the fleet since the plan was made. */
    FLEET_CHANGED(641),
    /** The change would take nodes out of use. */
    FLEET_CUTS_OFF(642),
    /** The name of a node belongs to another identity. */
    FLEET_FOREIGN(643),
    /** What a node had of its fleet cannot be read any more, or not be used. */
    FLEET_PART_LOST(644),
    /** A roll-out has stopped before every node had what it is to have. */
    ROLLOUT_STOPPED(645),

    /** What is offered as a WebAssembly module is none. */
    NO_MODULE(650),
    /** A module is larger than it may be. */
    MODULE_TOO_LARGE(651),
    /** A module imports or exports what is in no contract between modules and nodes. */
    MODULE_OUTSIDE_CONTRACT(652),
    /** A module has failed by itself: it divided by zero, left its memory, or gave up. */
    MODULE_TRAPPED(653),
    /** A module took more processor time than a call may. */
    MODULE_TOO_SLOW(654),
    /** A module did what it may not: emitted too much, asked too often, named an address that it does not have. */
    MODULE_FORBIDDEN(655),
    /** A name or a Type ID is one for guests alone, or one that a guest may not have; or a guest's bundle is no WebAssembly. */
    NOT_FOR_GUESTS(656),
    /** A guest has as much as a guest may. */
    GUEST_QUOTA(657),
    /** A module cannot be compiled. */
    NOT_COMPILED(658),

    /** There is no such multicast session, or it has ended. */
    NO_SESSION(701),
    /** The source of the multicast session does not expect a receiver of this name. */
    NOT_EXPECTED(702),
    /** Another receiver of the multicast session has this name. */
    NAME_TAKEN(703),
    /** The multicast session has begun, and its source takes nobody who comes late. */
    TOO_LATE(704),
    /** The secret of the multicast session is another one. */
    NOT_AUTHENTIC(705),
    /** The receiver does not keep up with the least rate of the multicast session. */
    TOO_SLOW(706),
    /** The receiver has not been heard of for too long. */
    RECEIVER_LOST(707),
    /** The receiver has sent repairs that are not what the source sent; it is asked for no more of them. */
    WRONG_REPAIRS(708),
    /** The source of the multicast session has not been heard of for too long. */
    SOURCE_LOST(709),
    /** Not every expected receiver of the multicast session has everything. */
    RECEIVERS_INCOMPLETE(710),

    /** What was copied has changed on its way. */
    EXTENT_DAMAGED(751),
    /** A file that is being copied is no longer what it was when the copy began. */
    SOURCE_CHANGED(752),
    /** Not everything that was to be copied is. */
    COPY_INCOMPLETE(753),
    /** Nothing of a copy has moved for its patience. */
    COPY_STALLED(754),
    /** The queue has no transfer of this id. */
    NO_TRANSFER(755),
    /** A transfer cannot be there by the time, or at the rate, that it asks for. */
    DEADLINE_NOT_MET(756),
    /** The queue takes no more transfers. */
    QUEUE_FULL(757),
    /** A transfer that is over cannot be cancelled. */
    TRANSFER_OVER(758),
    /** The queue of transfers does not answer. */
    NO_QUEUE(759),
    /** A web server answers with what a copy cannot use. */
    WEB_ANSWER(771),
    /** There is no checksum to compare a file with, and there should be one. */
    NO_CHECKSUM(772),

    /** What a plan of measurements, or a topology, says makes no sense; the text names the field. */
    BAD_PLAN(780),
    /** What a theodolite has sent is no sample; the text names the key. */
    BAD_SAMPLE(781),
    /** The name of a theodolite belongs to another identity. */
    THEODOLITE_FOREIGN(782),
    /** The database of an observatory cannot be used. */
    NO_DATABASE(783),
    /** The database of an observatory has no room. */
    DATABASE_FULL(784),
    /** A newer program has changed the database of an observatory. */
    DATABASE_NEWER(785),
    /** The observatory does not answer. */
    NO_OBSERVATORY(786),

    /** What a service level says makes no sense; the text names the field. */
    BAD_SERVICE_LEVEL(801),
    /** There is no QoS session of this code. */
    NO_QOS_SESSION(802),
    /** Not every node on the path has stored the QoS session. */
    PARTIAL_PATH(803),
    /** The node lets this source open no QoS session. */
    QOS_NOT_ALLOWED(804),
    /** Another QoS session is for the same flow. */
    DUPLICATE_FLOW(805),
    /** The node, or the source, has as many QoS sessions as it may. */
    TOO_MANY_SESSIONS(806),
    /** No node has answered a request for a QoS session. */
    NO_QOS_NODE(807),
    /** No class meets the objectives of a QoS session. */
    QOS_DEGRADED(808),
    /** A partner that a service needs is not there. */
    PARTNER_MISSING(809),
    /** The classes of a DiffServ domain cannot be set up. */
    DOMAIN_FAILED(810),
    /** An interface has queues that somebody else has set up. */
    DOMAIN_FOREIGN(811),
    /** A class of a QoS session is not there any more. */
    CLASS_REMOVED(812),
    /** What a service wants to keep cannot be kept. */
    STORE_FAILED(813),
    /** The node cannot send or answer probes. */
    NO_PROBES(814),

    /** What a back end says of itself makes no sense; the text names the field. */
    BAD_REPORT(901),
    /** Another back end has this name or address. */
    BACK_END_TAKEN(902),
    /** The front-end has no pool of this name. */
    NO_POOL(903),
    /** Neither IPVS nor nftables can be used here. */
    NO_ENGINE(904),
    /** keepalived is missing, refuses its configuration, or has died. */
    KEEPALIVED(905),
    /** Somebody else's virtual services, addresses or tables are in the way. */
    CLUSTER_FOREIGN(906),
    /** The kernel refuses what the director is to carry. */
    DIRECTOR_REFUSED(907),
    /** A back end is not set up for the way that its director forwards. */
    BACK_END_SETUP(908),
    /** No front-end answers. */
    NO_FRONTEND(909),
    /** A rolling upgrade has ended before every back end had the new version. */
    UPGRADE_INCOMPLETE(910),
    /** A front-end names a virtual address that the back end's own file does not allow. */
    VIRTUAL_NOT_ALLOWED(911);

    private static final ErrorCode[] BY_NUMBER = new ErrorCode[1000];

    static {
        for (ErrorCode code : values()) {
            BY_NUMBER[code.number] = code;
        }
    }

    private final int number;

    ErrorCode(int number) {
        this.number = number;
    }

    /** The number on the wire, 101 to 599. */
    public int number() {
        return number;
    }

    /** The code of a number from the wire; {@link #INTERNAL} for one that is not known. */
    public static ErrorCode of(int number) {
        ErrorCode code = number >= 0 && number < BY_NUMBER.length ? BY_NUMBER[number] : null;
        return code == null ? INTERNAL : code;
    }

    /** {@code EE-101}. */
    @Override
    public String toString() {
        return "EE-" + number;
    }
}
