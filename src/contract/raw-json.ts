import * as v from 'valibot';
import type { Operation } from './operation.ts';

/** JSON as it was sent, with its numbers, its white space and the order of its members. Nothing has built a value of it. */
export class RawJson {
  /** valid JSON in UTF-8, in memory of its own, so that it can move to a thread */
  readonly bytes: Uint8Array;
  /** SHA-256 of the bytes, hex, where a thread has computed it */
  readonly hash: string | undefined;

  constructor(bytes: Uint8Array, hash?: string) {
    this.bytes = bytes;
    this.hash = hash;
  }

  static of(value: unknown): RawJson {
    return new RawJson(new TextEncoder().encode(JSON.stringify(value)));
  }

  get text(): string {
    return new TextDecoder().decode(this.bytes);
  }

  /** For answers that people read. Large numbers lose digits, as in all of JavaScript. */
  toJSON(): unknown {
    return JSON.parse(this.text);
  }
}

const mark = { rawJson: true } as const;

/** A field of the body that may be any JSON and that the service gets as it was sent. It must stand on the first level. */
export function rawJson(description: string) {
  return v.pipe(
    v.unknown(),
    v.description(description),
    v.metadata(mark),
    v.transform((value) => (value instanceof RawJson ? value : RawJson.of(value))),
  );
}

/** A property of a reply that goes out as the JSON that it is. It must stand on the first level. */
export function rawJsonReply(description: string) {
  return v.pipe(v.instance(RawJson), v.description(description), v.metadata(mark));
}

/** The names of the fields of a body, or of the properties of a reply, that stay JSON. */
export function rawFieldsOf(schema: Operation['input'] | v.GenericSchema): readonly string[] {
  const { entries = {} } = schema as { readonly entries?: Readonly<Record<string, v.GenericSchema>> };
  return Object.entries(entries).flatMap(([name, field]) => {
    const inner = (field as { readonly wrapped?: v.GenericSchema }).wrapped ?? field;
    return (v.getMetadata(inner) as { readonly rawJson?: boolean }).rawJson === true ? [name] : [];
  });
}
