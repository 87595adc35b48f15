import { node } from '../../contract/node.ts';
import { implement } from '../../service/implement.ts';

export const nodeImplementation = implement(node, () => import('./operations.ts'));
