import type { DavRequest } from '../request.ts';
import { collectionProperties } from './collection.ts';
import { commonProperties } from './common.ts';
import { homeProperties, principalProperties, schedulingProperties } from './principal.ts';
import { resourceProperties } from './resource.ts';
import type { Target } from '../targets.ts';

/** The XML inside of a property; undefined if the target has no such property. */
export type PropertyValue = string | undefined | Promise<string | undefined>;
export type PropertyTable<T extends Target = Target> = Readonly<
  Record<string, (request: DavRequest, target: T) => PropertyValue>
>;

/** The properties of a target by their names. */
export function propertiesOf(target: Target): PropertyTable {
  return { ...commonProperties, ...ownProperties(target) };
}

function ownProperties(target: Target): PropertyTable {
  switch (target.kind) {
    case 'collection':
      return collectionProperties as PropertyTable;
    case 'resource':
      return resourceProperties as PropertyTable;
    case 'principal':
      return principalProperties;
    case 'home':
      return homeProperties;
    case 'inbox':
    case 'outbox':
      return schedulingProperties;
    default:
      return {};
  }
}

/** What `allprop` gives (RFC 4918 9.1). Programs name what else they want. */
export const allprop: readonly string[] = [
  'd:creationdate',
  'd:displayname',
  'd:getcontenttype',
  'd:getetag',
  'd:getlastmodified',
  'd:resourcetype',
];
