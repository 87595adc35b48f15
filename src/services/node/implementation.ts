import type { node } from '../../contract/node.ts';
import { lazily } from '../../service/service-parts.ts';

const operations = async () => (await import('./operations.ts')).nodeOperations;

export const nodeImplementation = lazily<typeof node>({
  status: operations,
  storeStatus: operations,
  verifyStore: operations,
  backUpStore: operations,
});
