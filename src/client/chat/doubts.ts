import type { ProblemCode } from '../../base/problem-codes.ts';
import { Problem } from '../../base/problem.ts';

/** What a member is called in messages, by the id. */
export type Called = (memberId: string) => string;

/** A name comes from the node, an id is a hash of the member's key. */
export function calledBy(names: ReadonlyMap<string, string>): Called {
  return (memberId) => {
    const name = names.get(memberId);
    return name === undefined || name === '' ? memberId : `${name} (${memberId})`;
  };
}

const advice =
  'The node may have interfered. Send nothing here before you have asked the members another way: conclave chat verify';

/** Something that an honest node does not answer. @param message what does not fit, of whom */
export function doubt(code: ProblemCode, message: string): Problem {
  return new Problem('network', code, `${message} ${advice}`);
}
