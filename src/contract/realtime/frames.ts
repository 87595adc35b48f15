import * as v from 'valibot';
import { clientFrame, serverFrame, type ClientFrame, type ServerFrame } from '../event.ts';
import { memberId } from '../text.ts';
import { socketLimits } from './limits.ts';

const topic = v.pipe(
  v.string(),
  v.maxLength(socketLimits.topic),
  v.regex(/^[a-z][a-z0-9-]*(?::[\w.-]+)+$/),
  v.description('such as `vaults:` and the id of a member'),
);

const seq = v.pipe(v.number(), v.safeInteger(), v.minValue(0));

const topicList = v.pipe(v.array(topic), v.maxLength(socketLimits.subscriptions));

/** The number of the last received event, by topic. */
const positions = v.pipe(
  v.record(topic, seq),
  v.maxEntries(socketLimits.subscriptions),
  v.description('the `seq` of the last event received of each topic'),
);

export const serverFrames = {
  ready: serverFrame({
    type: 'ready',
    summary: 'The socket is signed in',
    description: 'Frames that were sent before this are handled after it.',
    fields: v.object({ memberId }),
  }),
  pong: serverFrame({ type: 'pong', summary: 'The answer to `ping`', description: '', fields: v.object({}) }),
  subscribed: serverFrame({
    type: 'subscribed',
    summary: 'The socket is subscribed to the topics',
    description:
      'A topic that does not exist and one that the member may not subscribe to get the same refusal. `positions` has the current `seq` of topics that can be resumed: ' +
      'keep it, and the `seq` of later events.',
    fields: v.object({
      count: v.number(),
      refused: v.number(),
      refusedTopics: v.pipe(v.array(v.string()), v.description('the first topic that was refused')),
      positions: v.optional(v.record(v.string(), seq)),
    }),
  }),
  unsubscribed: serverFrame({
    type: 'unsubscribed',
    summary: 'The socket is no longer subscribed to the topics',
    description: '',
    fields: v.object({ count: v.number() }),
  }),
  resync: serverFrame({
    type: 'resync',
    summary: 'Events of a topic are missing',
    description:
      'They are no longer stored, or are too many. Read the data of the topic again. Changes after `seq` come as events.',
    fields: v.object({ topic: v.string(), seq }),
  }),
  error: serverFrame({
    type: 'error',
    summary: 'A frame was not carried out',
    description: 'The reasons `MALFORMED` and `UNKNOWN_TYPE` are for every frame; the socket stays open.',
    fields: v.object({
      code: v.pipe(v.string(), v.description('as in answers over HTTP of the social network, by the status')),
      reason: v.pipe(v.string(), v.description('the code that says more, as in answers over HTTP')),
      message: v.string(),
      of: v.optional(v.pipe(v.string(), v.description('the type of the frame, for frames of services'))),
    }),
  }),
} as const satisfies Record<string, ServerFrame>;

/** Frames that every socket understands. Services add their own. */
export const clientFrames = {
  auth: clientFrame({
    type: 'auth',
    summary: 'Sign in with a token',
    description:
      'The first frame, within 5 seconds, of a socket that has no ticket and no token in the header `Authorization`.',
    input: v.object({ token: v.pipe(v.string(), v.minLength(1), v.metadata({ secret: true })) }),
    answer: serverFrames.ready,
    errors: [],
  }),
  ping: clientFrame({
    type: 'ping',
    summary: 'Ask whether the socket is alive',
    description: 'The server itself sends WebSocket pings every 30 seconds.',
    input: v.object({}),
    answer: serverFrames.pong,
    errors: [],
  }),
  subscribe: clientFrame({
    type: 'subscribe',
    summary: 'Subscribe to topics',
    description: '',
    input: v.object({ topics: topicList }),
    answer: serverFrames.subscribed,
    errors: [],
  }),
  unsubscribe: clientFrame({
    type: 'unsubscribe',
    summary: 'Unsubscribe from topics',
    description: '',
    input: v.object({ topics: topicList }),
    answer: serverFrames.unsubscribed,
    errors: [],
  }),
  resume: clientFrame({
    type: 'resume',
    summary: 'Subscribe to topics, and first get the missed events',
    description:
      'The events after the given numbers are sent in order, each once, before the answer. New events follow. If some are not stored ' +
      'any more, `resync` says so.',
    input: v.object({ topics: positions }),
    answer: serverFrames.subscribed,
    errors: [],
  }),
} as const satisfies Record<string, ClientFrame>;
