import type { DavContent } from '../../../service/ports/dav.ts';
import type { CardForm } from '../../../service/ports/dav-filters.ts';
import { folded, physicalLines, propertiesOf, withoutEnd, type Property } from '../vcard/lines.ts';

/** Without them it would be no vCard. */
const frame: ReadonlySet<string> = new Set(['BEGIN', 'VERSION', 'END']);

/** A contact with the properties alone that a program wants; they stay as they are written. */
export function inForm(content: DavContent, { props }: CardForm = {}): DavContent {
  if (props === undefined) return content;
  const parts = propertiesOf(content.text).flatMap((property) => {
    const { group, name, raw } = property;
    if (frame.has(name)) return [raw];
    const wanted = props.get(name) ?? props.get(`${group.toUpperCase()}.${name}`);
    if (wanted === undefined) return [];
    return [wanted.noValue ? withoutValue(property) : raw];
  });
  return { ...content, text: parts.join('') };
}

function withoutValue({ raw, value }: Property): string {
  const lines = [...physicalLines(raw)].map(withoutEnd);
  const line = lines.map((part, index) => (index === 0 ? part : part.slice(1))).join('');
  return folded(line.slice(0, line.length - value.length));
}
