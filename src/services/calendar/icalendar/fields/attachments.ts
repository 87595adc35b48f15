import type { Event } from '../../../../contract/calendar/event.ts';
import { wholeNumber } from '../../../../base/whole-number.ts';
import { paramOf, propertiesOf, propertyOf, textOf, type JcalComponent, type JcalProperty } from '../jcal.ts';

type Attachment = Event['attachments'][number];
type Conference = NonNullable<Event['conference']>;

const fileNames = ['filename', 'x-filename', 'x-apple-filename', 'x-oracle-filename', 'x-label'];

/** Files that are only named have an address; those that stand in the event have a size. */
export function attachmentsOf(component: JcalComponent): Attachment[] {
  return propertiesOf(component, 'attach').map(attachmentOf);
}

function attachmentOf(property: JcalProperty): Attachment {
  const filename = fileNames.map((name) => paramOf(property, name) ?? '').find((name) => name !== '');
  const contentType = paramOf(property, 'fmttype') ?? '';
  const size = isInline(property) ? bytesOf(textOf(property)) : wholeNumber(paramOf(property, 'size'));
  return {
    ...(!isInline(property) && { uri: textOf(property) }),
    ...(filename !== undefined && { filename }),
    ...(contentType !== '' && { contentType }),
    ...(size !== undefined && { size }),
  };
}

export function isInline(property: JcalProperty): boolean {
  return property[2] === 'binary' || paramOf(property, 'encoding')?.toUpperCase() === 'BASE64';
}

function bytesOf(base64: string): number {
  return Buffer.byteLength(base64.replaceAll(/\s/g, ''), 'base64');
}

/** Where programs put the address of a meeting, the standard first (RFC 7986 5.11). */
export const conferenceNames = ['conference', 'x-google-conference', 'x-microsoft-skypeteamsmeetingurl'];

export function conferenceProperty(component: JcalComponent): JcalProperty | undefined {
  return conferenceNames
    .map((name) => propertyOf(component, name))
    .find((property) => property !== undefined && /^[a-z][a-z0-9+.-]*:\S/i.test(textOf(property).trim()));
}

export function conferenceOf(component: JcalComponent): Conference | undefined {
  const property = conferenceProperty(component);
  if (property === undefined) return undefined;
  const uri = textOf(property).trim();
  const features = [property[1]['feature'] ?? []].flat().join(',').toUpperCase().split(',');
  const phone = /^(?:tel|sip):/i.test(uri) || (features.includes('PHONE') && !features.includes('VIDEO'));
  const [label, passcode] = [paramOf(property, 'label') ?? '', paramOf(property, 'x-passcode') ?? ''];
  return {
    type: phone ? 'phone' : 'url',
    uri,
    ...(label !== '' && { label }),
    ...(passcode !== '' && { passcode }),
  };
}
