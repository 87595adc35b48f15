import { socketLimits } from '../../contract/realtime/limits.ts';

/** The rules that apply to every socket. */
export const introduction = [
  'Sockets are on `/ws`, and every frame is JSON in UTF-8. A socket signs in with the token in the header `Authorization`, with a ticket in its URL, or with the frame `auth` first.',
  'A socket of a bot token subscribes only to `conversation:<id>` of the conversations that it was made for, and sends only `message:send` and `message:typing` to those in which it may write. It does not make its member present.',
  'A client subscribes to topics, and receives events as `{type, topic, seq, timestamp, data}`. Stored events have a `seq`, which only grows within a topic. After a reconnect, send `resume` with the last `seq` of each topic to get the missed events, each once and in order. If missed events are too old, the server sends `resync`.',
  `A socket loses a topic as soon as its member loses the right to it. A frame has at most ${socketLimits.frame / 1024} KiB, a socket ${socketLimits.subscriptions} topics, a member ${socketLimits.socketsPerMember} sockets.`,
  'Close codes: 4001 not signed in, 4002 the session has ended, 4029 too many requests, 1013 the client reads too slowly or has too many sockets (reconnect and resume), 1009 a frame is too large, 1001 the server stops.',
].join('\n\n');
