import { accounts } from './accounts.ts';
import { members } from './members.ts';
import { node } from './node.ts';
import type { Contract, Operation } from './operation.ts';
import { reference } from './reference.ts';

/** Operations that belong together, as the reference lists them. */
export interface Topic {
  /** what the ids of its operations begin with, before the dot */
  readonly name: string;
  readonly title: string;
  readonly text: string;
  readonly contract: Contract;
}

/** Everything that a node serves as an operation. A contract that isn't in here is not in the OpenAPI document. */
export const topics: readonly Topic[] = [
  {
    name: 'account',
    title: 'Accounts and sessions',
    text: 'Registration, the ways to sign in, profile, settings, backup codes and recovery.',
    contract: accounts,
  },
  {
    name: 'members',
    title: 'Members',
    text: 'What administrators, and the operator of the node, do with members.',
    contract: members,
  },
  {
    name: 'node',
    title: 'Node',
    text: 'How the node is, and its store.',
    contract: node,
  },
  {
    name: 'reference',
    title: 'Reference',
    text: 'This description of the interface, for programs and for people.',
    contract: reference,
  },
];

export function allOperations(): Operation[] {
  return topics.flatMap((topic) => Object.values(topic.contract));
}
