import { safeParse, type GenericSchema, type InferOutput } from 'valibot';
import type { ClientFrame } from '../../contract/event.ts';
import { clientFrames } from '../../contract/realtime/frames.ts';
import type { FrameRules, FrameSender } from '../../service/ports/realtime.ts';

type AnswerOf<F extends ClientFrame> = F['answer'] extends { readonly fields: infer Fields }
  ? Fields extends GenericSchema
    ? InferOutput<Fields>
    : undefined
  : undefined;

/** Pairs a frame with its handler. A missing handler, or one with wrong fields or a wrong answer, is a compile error. */
export function onFrame<F extends ClientFrame>(
  frame: F,
  perform: (sender: FrameSender, input: InferOutput<F['input']>) => Promise<AnswerOf<F>>,
): FrameRules {
  return { frame, perform };
}

type BuiltIn = (typeof clientFrames)[keyof typeof clientFrames];

/** The frames that clients send, by their declarations. */
export type Frame = { [F in BuiltIn as F['type']]: { type: F['type'] } & InferOutput<F['input']> }[BuiltIn['type']];

export interface ServiceFrame {
  readonly type: '';
  readonly rules: FrameRules;
  readonly input: unknown;
}

export interface FrameFault {
  readonly fault: 'MALFORMED' | 'UNKNOWN_TYPE';
  readonly message: string;
}

const builtIn: ReadonlyMap<unknown, ClientFrame> = new Map(Object.entries(clientFrames));

/** @returns the frame, or the error in it */
export function parseFrame(
  text: string,
  services: ReadonlyMap<unknown, FrameRules> = new Map(),
): Frame | ServiceFrame | FrameFault {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return malformed('The frame is not JSON.');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return malformed('The frame is not an object.');
  const { type } = value as { readonly type?: unknown };
  const rules = services.get(type);
  const declared = rules?.frame ?? builtIn.get(type);
  if (declared === undefined) {
    if (typeof type !== 'string') return malformed('The frame has no type.');
    return { fault: 'UNKNOWN_TYPE', message: 'The frame type is unknown.' };
  }
  const { success, output, issues } = safeParse(declared.input as GenericSchema, value, { abortEarly: true });
  if (!success) {
    const path = issues[0].path?.map((part) => String(part.key)).join('.') ?? '';
    return malformed(`The frame is not valid: ${path.slice(0, 200)}.`);
  }
  if (rules !== undefined) return { type: '', rules, input: output };
  return { type: declared.type, ...(output as object) } as Frame;
}

function malformed(message: string): FrameFault {
  return { fault: 'MALFORMED', message };
}
