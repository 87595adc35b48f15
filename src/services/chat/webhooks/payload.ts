import * as v from 'valibot';

/**
 * What programs send to incoming webhooks of Slack: `text`, or `attachments` as alerts have them, or `blocks`. Links and mentions are written in angle
 * brackets. See "Sending messages using incoming webhooks" and "Formatting text" of Slack's documentation.
 */

const text = v.nullish(v.string());
const field = v.object({ title: text, value: text });
const attachment = v.object({
  pretext: text,
  title: text,
  title_link: text,
  text,
  fallback: text,
  fields: v.nullish(v.array(field)),
});
const textObject = v.object({ text });
const block = v.object({
  text: v.nullish(textObject),
  fields: v.nullish(v.array(textObject)),
  elements: v.nullish(v.array(v.object({ text: v.nullish(v.unknown()) }))),
});
const payload = v.object({
  text,
  attachments: v.nullish(v.array(attachment)),
  blocks: v.nullish(v.array(block)),
});
type Payload = v.InferOutput<typeof payload>;

/**
 * The text of a message that a program sent.
 * @param type media type of the body
 * @param most characters; what is longer is cut
 * @returns undefined if there is none, or the body is something else
 */
export function textOfPayload(type: string, body: string, most: number): string | undefined {
  const json = type === 'application/json' ? body : new URLSearchParams(body).get('payload');
  const parsed = json === null ? undefined : parseJson(json);
  const result = v.safeParse(payload, parsed);
  if (!result.success) return undefined;
  const plain = cleaned(unescaped(textOf(result.output)));
  if (!visible.test(plain)) return undefined;
  const characters = Array.from(plain);
  return characters.length <= most ? plain : `${characters.slice(0, most - 1).join('')}…`;
}

/** As messages of members have it: spaces and what no reader sees are no text. */
const visible = /[^\s\p{Default_Ignorable_Code_Point}\u2800\ufff0-\ufffb]/u;

function parseJson(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

function textOf({ text: said, attachments, blocks }: Payload): string {
  const shown = (blocks ?? []).flatMap(linesOfBlock);
  // With blocks, the text is what notifications show instead of them.
  const first = shown.length > 0 ? shown : [said];
  return lines([...first, ...(attachments ?? []).map(textOfAttachment)]);
}

function textOfAttachment({
  pretext,
  title,
  title_link: link,
  text: said,
  fallback,
  fields,
}: v.InferOutput<typeof attachment>): string {
  const heading = title == null || title === '' ? link : link == null || link === '' ? title : `${title} (${link})`;
  const rows = (fields ?? []).map((one) =>
    [one.title, one.value].filter((part) => part != null && part !== '').join(': '),
  );
  const whole = lines([pretext, heading, said, ...rows]);
  return whole === '' ? (fallback ?? '') : whole;
}

function linesOfBlock({ text: said, fields, elements }: v.InferOutput<typeof block>): (string | null | undefined)[] {
  const within = (elements ?? []).map(({ text: inner }) => (typeof inner === 'string' ? inner : undefined));
  return [said?.text, ...(fields ?? []).map((one) => one.text), ...within].filter(
    (line) => line != null && line !== '',
  );
}

function lines(parts: readonly (string | null | undefined)[]): string {
  return parts.filter((part) => part != null && part !== '').join('\n');
}

const everybody = /^!(?:channel|here|everyone)(?:\|.*)?$/;
const entities: Readonly<Record<string, string>> = { '&lt;': '<', '&gt;': '>', '&amp;': '&' };

/** `<https://a.example|label>` becomes `label (https://a.example)`, and what names all of a channel `@all`. */
function unescaped(marked: string): string {
  return marked
    .replaceAll(/<([^<>]*)>/g, (_, inner: string) => {
      if (everybody.test(inner)) return '@all';
      const [target = '', label] = inner.split('|', 2);
      return label === undefined || label === target ? target : `${label} (${target})`;
    })
    .replaceAll(/&(?:lt|gt|amp);/g, (entity) => entities[entity] ?? entity);
}

// oxlint-disable-next-line no-control-regex -- what messages may not have is the purpose
const unwanted = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]|\p{Surrogate}/gu;

function cleaned(said: string): string {
  return said.replaceAll(unwanted, '').trim();
}
