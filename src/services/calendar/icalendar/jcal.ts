/** jCal (RFC 7265): iCalendar as JSON. This is what is stored of an event; text is made of it and read into it. */

export type JcalValue =
  | string
  | number
  | boolean
  | readonly JcalValue[]
  | { readonly [part: string]: string | number | readonly (string | number)[] };
export type JcalParams = Readonly<Record<string, string | readonly string[]>>;
export type JcalProperty = readonly [name: string, params: JcalParams, type: string, ...values: JcalValue[]];
export type JcalComponent = readonly [
  name: string,
  properties: readonly JcalProperty[],
  components: readonly JcalComponent[],
];

/** A rule of recurrence as jCal has it: parts in lower case, in the order in which they were written. */
export type JcalRule = Readonly<Record<string, string | number | readonly (string | number)[]>>;

// These are asked some thirty times for each event of a page: patterns of arrays would take as long as all else.
export function propertiesOf(component: JcalComponent, name: string): readonly JcalProperty[] {
  return component[1].filter((property) => property[0] === name);
}

/** The first property of this name; what should be there once counts the first time, as in most programs. */
export function propertyOf(component: JcalComponent, name: string): JcalProperty | undefined {
  return component[1].find((property) => property[0] === name);
}

export function componentsOf(component: JcalComponent, name: string): readonly JcalComponent[] {
  return component[2].filter((one) => one[0] === name);
}

/** The values of a property. */
export function valuesOf(property: JcalProperty): readonly JcalValue[] {
  return property.slice(3);
}

/** The first value as text. A value of no known type still has its escapes, which are undone here. */
export function textOf(property: JcalProperty | undefined): string {
  if (property === undefined) return '';
  const value = property[3];
  if (typeof value === 'string') return property[2] === 'unknown' ? unescapedText(value) : value;
  return value === undefined ? '' : valueText(value);
}

export function valueText(value: JcalValue): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return (value as readonly JcalValue[]).map(valueText).join(';');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** The time that a value is; of a period, when it begins. */
export function timeText(value: JcalValue): string {
  return valueText(Array.isArray(value) ? ((value as readonly JcalValue[])[0] ?? '') : value);
}

/** A parameter; the first value of one that has several. */
export function paramOf(property: JcalProperty, name: string): string | undefined {
  const params = property[1];
  const value = Object.hasOwn(params, name) ? params[name] : undefined;
  return typeof value === 'string' ? value : value?.[0];
}

/** Undoes the escapes of TEXT (RFC 5545 3.3.11). */
export function unescapedText(value: string): string {
  return value.includes('\\')
    ? value.replaceAll(/\\([\\;,nN])/g, (_, one: string) => (one === 'n' || one === 'N' ? '\n' : one))
    : value;
}

/** The component with these properties in the place of all that have one of the names. They stand where the first of them stood. */
export function withProperties(
  [name, properties, components]: JcalComponent,
  names: readonly string[],
  wanted: readonly JcalProperty[],
): JcalComponent {
  const at = properties.findIndex(([one]) => names.includes(one));
  const others = properties.filter(([one]) => !names.includes(one));
  return [name, others.toSpliced(at === -1 ? others.length : at, 0, ...wanted), components];
}
