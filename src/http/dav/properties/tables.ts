import { collectionProperties } from './collection.ts';
import { basicProperties } from './basic-properties.ts';
import type { PropertyTable } from './property-table.ts';
import { homeProperties, principalProperties, schedulingProperties } from './principal.ts';
import { resourceProperties } from './resource.ts';
import type { Target } from '../targets.ts';

const scheduling = { ...basicProperties, ...schedulingProperties };

/** Put together once: lists have thousands of targets. */
const tables: Readonly<Record<Target['kind'], PropertyTable>> = {
  root: basicProperties,
  principals: basicProperties,
  free: basicProperties,
  principal: { ...basicProperties, ...principalProperties },
  home: { ...basicProperties, ...homeProperties },
  inbox: scheduling,
  outbox: scheduling,
  collection: { ...basicProperties, ...(collectionProperties as PropertyTable) },
  resource: { ...basicProperties, ...(resourceProperties as PropertyTable) },
};

/** The properties of a target by their names. */
export function propertiesOf({ kind }: Target): PropertyTable {
  return tables[kind];
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
