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

/** The number of the last event that was heard, by topic. */
const positions = v.pipe(
  v.record(topic, seq),
  v.maxEntries(socketLimits.subscriptions),
  v.description('the `seq` of the last event that was heard of each topic'),
);

export const serverFrames = {
  ready: serverFrame({
    type: 'ready',
    summary: 'The socket is signed in',
    description: 'What was sent before it is worked on after it.',
    fields: v.object({ memberId }),
  }),
  pong: serverFrame({ type: 'pong', summary: 'The answer to `ping`', description: '', fields: v.object({}) }),
  subscribed: serverFrame({
    type: 'subscribed',
    summary: 'From here on the topics are heard',
    description:
      'A topic that there is not and one that is not for the member are refused alike. `positions` says where topics stand that can be resumed: ' +
      'keep them, and what comes with events afterwards.',
    fields: v.object({
      count: v.number(),
      refused: v.number(),
      refusedTopics: v.pipe(v.array(v.string()), v.description('the first of those that are refused')),
      positions: v.optional(v.record(v.string(), seq)),
    }),
  }),
  unsubscribed: serverFrame({
    type: 'unsubscribed',
    summary: 'The topics are not heard any more',
    description: '',
    fields: v.object({ count: v.number() }),
  }),
  resync: serverFrame({
    type: 'resync',
    summary: 'Events of a topic are missing',
    description:
      'They are not kept any more, or are too many. Read anew what the topic is about; what comes after `seq` comes as events again.',
    fields: v.object({ topic: v.string(), seq }),
  }),
  error: serverFrame({
    type: 'error',
    summary: 'A frame was not carried out',
    description: '`MALFORMED` and `UNKNOWN_TYPE` are for every frame; the socket stays open.',
    fields: v.object({
      code: v.string(),
      message: v.string(),
      of: v.optional(v.pipe(v.string(), v.description('the type of the frame, of those that services have'))),
    }),
  }),
} as const satisfies Record<string, ServerFrame>;

/** What every socket understands; services have frames of their own beside it. */
export const clientFrames = {
  auth: clientFrame({
    type: 'auth',
    summary: 'Sign in with a token',
    description:
      'The first frame, within 5 seconds, of a socket that brought neither a token in the header `Authorization` nor a ticket.',
    input: v.object({ token: v.pipe(v.string(), v.minLength(1), v.metadata({ secret: true })) }),
    answer: serverFrames.ready,
    errors: [],
  }),
  ping: clientFrame({
    type: 'ping',
    summary: 'Ask whether the socket is alive',
    description: 'The server sends pings of the protocol every 30 seconds by itself.',
    input: v.object({}),
    answer: serverFrames.pong,
    errors: [],
  }),
  subscribe: clientFrame({
    type: 'subscribe',
    summary: 'Hear topics from now on',
    description: '',
    input: v.object({ topics: topicList }),
    answer: serverFrames.subscribed,
    errors: [],
  }),
  unsubscribe: clientFrame({
    type: 'unsubscribe',
    summary: 'Hear topics no more',
    description: '',
    input: v.object({ topics: topicList }),
    answer: serverFrames.unsubscribed,
    errors: [],
  }),
  resume: clientFrame({
    type: 'resume',
    summary: 'Hear topics, and first what was missed of them',
    description:
      'Events after the given numbers are sent in their order before the answer, each once; then what happens from now on. Where some are not ' +
      'there any more, `resync` says so.',
    input: v.object({ topics: positions }),
    answer: serverFrames.subscribed,
    errors: [],
  }),
} as const satisfies Record<string, ClientFrame>;
