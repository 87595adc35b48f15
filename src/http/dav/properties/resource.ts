import type { DavContent } from '../../../service/ports/dav.ts';
import type { ResourceTarget } from '../targets.ts';
import { text } from '../xml/write.ts';
import type { PropertyTable } from './property-table.ts';

/** Properties that need the content: whoever asks for them has it read. */
const ofContent: ReadonlySet<string> = new Set([
  'd:getcontentlength',
  'c:calendar-data',
  'card:address-data',
  'c:schedule-tag',
]);

export function needContent(names: readonly string[]): boolean {
  return names.some((name) => ofContent.has(name));
}

function contentOf({ resource }: ResourceTarget): DavContent | undefined {
  return resource !== undefined && 'text' in resource ? resource : undefined;
}

/** Properties of an event or a contact. */
export const resourceProperties: PropertyTable<ResourceTarget> = {
  'd:getetag': (_request, { resource }) => resource && text(`"${resource.etag}"`),
  'd:getcontenttype': (_request, { space, resource }) => text(typeOf(space.type, resource?.component)),
  'd:getlastmodified': (_request, { resource }) =>
    resource?.modifiedAt === undefined ? undefined : new Date(resource.modifiedAt).toUTCString(),
  'd:creationdate': (_request, { resource }) =>
    resource?.createdAt === undefined ? undefined : new Date(resource.createdAt).toISOString(),
  'd:getcontentlength': (_request, target) => {
    const content = contentOf(target);
    return content && String(Buffer.byteLength(content.text));
  },
  'c:calendar-data': (_request, target) => (target.space.kind === 'calendar' ? dataOf(target) : undefined),
  'card:address-data': (_request, target) => (target.space.kind === 'addressbook' ? dataOf(target) : undefined),
  'c:schedule-tag': (_request, target) => {
    const tag = contentOf(target)?.scheduleTag;
    return tag === undefined ? undefined : text(`"${tag}"`);
  },
};

function dataOf(target: ResourceTarget): string | undefined {
  const content = contentOf(target);
  return content && text(content.text);
}

/** The media type of a resource. */
export function typeOf(type: string, component: string | undefined): string {
  const more = component === undefined ? '' : `; component=${component.toLowerCase()}`;
  return `${type}; charset=utf-8${more}`;
}
