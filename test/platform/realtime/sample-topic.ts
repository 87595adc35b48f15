import type { TopicKind } from '../../../src/service/ports/realtime.ts';
import * as v from 'valibot';
import { clientFrame, event, eventTopic, serverFrame } from '../../../src/contract/event.ts';
import { Problem } from '../../../src/base/problem.ts';
import { onFrame } from '../../../src/platform/realtime/frames.ts';
import type { RealtimePart } from '../../../src/platform/realtime/hub.ts';

const rooms = eventTopic({
  kind: 'rooms',
  parts: { roomId: 'id of the room' },
  summary: 'A room',
  description: 'Its members hear it.',
});

export const sampleEvents = {
  said: event({
    name: 'room:said',
    topic: rooms,
    replayable: true,
    summary: 'Somebody said something',
    description: 'In the room.',
    data: v.object({ number: v.number(), text: v.optional(v.string()) }),
  }),
  typing: event({
    name: 'room:typing',
    topic: rooms,
    replayable: false,
    summary: 'Somebody types',
    description: '',
    data: v.object({ username: v.string() }),
  }),
};

const counted = serverFrame({
  type: 'room:counted',
  summary: 'What was counted',
  description: '',
  fields: v.object({ length: v.number() }),
});

export const sampleFrames = {
  count: clientFrame({
    type: 'room:count',
    summary: 'Count letters',
    description: '',
    input: v.object({ text: v.pipe(v.string(), v.maxLength(10)) }),
    answer: counted,
    errors: ['FORBIDDEN'],
  }),
  enter: clientFrame({
    type: 'room:enter',
    summary: 'Hear a room',
    description: '',
    input: v.object({ roomId: v.pipe(v.string(), v.regex(/^\w+$/)) }),
    answer: undefined,
    errors: ['NOT_FOUND'],
  }),
};

/** Rooms as a service has them. @param allows everybody hears all of them unless it says otherwise */
export function samplePart(allows: TopicKind['allows'] = async () => true): RealtimePart {
  return {
    events: Object.values(sampleEvents),
    topics: { rooms: { allows } },
    frames: [
      onFrame(sampleFrames.count, async (_sender, { text }) => {
        if (text === 'forbidden') throw new Problem('forbidden', 'FORBIDDEN', 'Not this word.');
        return { length: text.length };
      }),
      onFrame(sampleFrames.enter, async ({ subscribe }, { roomId }) => {
        if (!(await subscribe(`rooms:${roomId}`))) throw new Problem('missing', 'NOT_FOUND', 'There is no such room.');
        return undefined;
      }),
    ],
  };
}
