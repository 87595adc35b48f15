import type { GenericSchema, InferInput, ObjectEntries, ObjectSchema } from 'valibot';
import type { ErrorCode } from './error-codes.ts';

/** A kind of topic. All topics of a kind have the same events, and one rule for who may subscribe. */
export interface EventTopic<Kind extends string = string> {
  /** what stands before the first colon of its names */
  readonly kind: Kind;
  /** the parts after it, in order, each with what it says */
  readonly parts: Readonly<Record<string, string>>;
  readonly summary: string;
  /** who may hear it */
  readonly description: string;
}

export function eventTopic<const Kind extends string>(declared: EventTopic<Kind>): EventTopic<Kind> {
  return declared;
}

/** The name of one topic, such as `vaults:0123…`. @param parts in the order in which they are declared */
export function topicName({ kind, parts: { ...declared } }: EventTopic, ...parts: readonly string[]): string {
  if (parts.length !== Object.keys(declared).length)
    throw new Error(`a topic ${kind} has the parts ${Object.keys(declared).join(', ')}`);
  return [kind, ...parts].join(':');
}

export interface Event<Name extends string = string, Data extends GenericSchema = GenericSchema> {
  /** `noun:what-happened`; the `type` of its frames */
  readonly name: Name;
  readonly topic: EventTopic;
  /** kept for a while, and sent to whoever comes back and says what they heard last; the others are gone once they are sent */
  readonly replayable: boolean;
  readonly summary: string;
  readonly description: string;
  /** what is sent: what the schema doesn't know never leaves */
  readonly data: Data;
}

export function event<const Name extends string, Data extends GenericSchema>(
  declared: Event<Name, Data>,
): Event<Name, Data> {
  return declared;
}

export type DataOf<E extends Event> = InferInput<E['data']>;

/** Something that clients send over a socket, as an operation is something that they request. */
export interface ClientFrame<
  Type extends string = string,
  // oxlint-disable-next-line typescript/no-explicit-any -- as in operation.ts: the entries' own types are what inference is for
  Input extends ObjectSchema<any, undefined> = ObjectSchema<any, undefined>,
  Answer extends ServerFrame | undefined = ServerFrame | undefined,
> {
  readonly type: Type;
  readonly summary: string;
  readonly description: string;
  /** the fields beside `type` */
  readonly input: Input;
  /** of what it is answered with, if all is well; undefined: with nothing */
  readonly answer: Answer;
  /** codes of the frame `error`, beside those that every frame has */
  readonly errors: readonly ErrorCode[];
}

export function clientFrame<
  const Type extends string,
  Entries extends ObjectEntries,
  Answer extends ServerFrame | undefined,
>(
  declared: ClientFrame<Type, ObjectSchema<Entries, undefined>, Answer>,
): ClientFrame<Type, ObjectSchema<Entries, undefined>, Answer> {
  return declared;
}

/** A frame from the server that is not an event. */
export interface ServerFrame<Type extends string = string, Fields extends GenericSchema = GenericSchema> {
  readonly type: Type;
  readonly summary: string;
  readonly description: string;
  /** the fields beside `type` */
  readonly fields: Fields;
}

export function serverFrame<const Type extends string, Fields extends GenericSchema>(
  declared: ServerFrame<Type, Fields>,
): ServerFrame<Type, Fields> {
  return declared;
}
