import { accessList } from './pool/access-list.ts';
import { membership } from './pool/membership.ts';
import { nodes } from './pool/nodes.ts';
import { outbox } from './pool/outbox.ts';
import { proposals } from './pool/proposals.ts';
import { requests } from './pool/requests.ts';
import { tokens } from './pool/tokens.ts';

/** The nodes of the pool, its join requests, and the signed access list; prefix `/api/admin/pool`. */
export const pool = { ...requests, ...nodes, ...accessList, ...proposals, ...tokens, ...membership, ...outbox };
