import { matchesProperties, type SeenProperty } from '../../../service/dav-matching.ts';
import type { CardFilter, PropFilter } from '../../../service/ports/dav-filters.ts';
import { propertiesOf, type Property } from '../vcard/lines.ts';
import { unescapeValue } from '../vcard/values.ts';

/** Whether a vCard is as a filter wants it (RFC 6352 10.5). Without a condition, each one is. */
export function matchesCard({ test, props }: CardFilter, text: string): boolean {
  if (props.length === 0) return true;
  const properties = propertiesOf(text);
  const answer = (filter: PropFilter): boolean =>
    matchesProperties(filter, properties.filter(({ name }) => name === filter.name).map(seen));
  return test === 'all' ? props.every(answer) : props.some(answer);
}

function seen({ value, params }: Property): SeenProperty {
  return {
    text: unescapeValue(value),
    params: (wanted) => params.filter(({ name }) => name === wanted).flatMap(({ values }) => values),
  };
}
