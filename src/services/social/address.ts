import { hostname } from 'node:os';
import type { Context } from '../../service/context.ts';

type Own = Pick<Context, 'config' | 'instance'>;

/**
 * What addresses of this node begin with. Never the address that was asked, which is the caller's word: what has it can reach others, by a
 * shared cache or as a file.
 */
export function ownUrl({ config, instance }: Own): string {
  return config.social.publicUrl ?? instance.addresses[0]?.replace(/\/+$/, '') ?? 'http://localhost';
}

/** The part of `name@host` that says which node it is. */
export function ownHost({ config }: Pick<Context, 'config'>): string {
  const { publicUrl } = config.social;
  return (publicUrl === undefined ? (config.mail.domain ?? hostname()) : new URL(publicUrl).host).toLowerCase();
}
