import { hostname } from 'node:os';
import { domainToASCII } from 'node:url';
import type { Context } from '../../service/context.ts';

/** The mail domain of this node as an access list has it; undefined if it has only a name that means nothing elsewhere. */
export function listedMailDomain({ config }: Pick<Context, 'config'>): string | undefined {
  const domain = domainToASCII(config.mail.domain ?? hostname());
  return domain !== '' && (config.mail.domain !== undefined || domain.includes('.')) ? domain : undefined;
}
