import { socketLimits } from '../../contract/realtime/limits.ts';

/** What holds for every socket. */
export const introduction = [
  'Sockets are on `/ws`, and every frame is JSON in UTF-8. A socket signs in with the token in the header `Authorization`, with a ticket in its URL, or with the frame `auth` first.',
  'A client subscribes to topics, and hears events as `{type, topic, seq, timestamp, data}`. Events that are kept have a `seq`, which only ever grows within a topic: whoever comes back sends `resume` with the last one of each topic, and gets what came since, each once and in order. What is too old to be kept is said by `resync`.',
  `A topic is lost the moment when the right to hear it is. A frame has at most ${socketLimits.frame / 1024} KiB, a socket ${socketLimits.subscriptions} topics, a member ${socketLimits.socketsPerMember} sockets.`,
  'Close codes: 4001 not signed in, 4002 the session has ended, 4029 too much was asked for, 1013 too slow a reader or too many sockets (come back and resume), 1009 too large a frame, 1001 the server stops.',
].join('\n\n');
