import { accessList } from './pool/access-list.ts';
import { membership } from './pool/membership.ts';
import { nodes } from './pool/nodes.ts';
import { requests } from './pool/requests.ts';

/** Which nodes belong to the pool, who asks to, and the signed access list that says so; prefix `/api/admin/pool`. */
export const pool = { ...requests, ...nodes, ...accessList, ...membership };
