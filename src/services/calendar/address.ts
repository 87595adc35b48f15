import type { Context } from '../../service/context.ts';

/**
 * What addresses of calendars begin with. Never the address that was asked, which is the caller's word: the answer may be in a shared cache.
 */
export function ownUrl({ config, instance }: Pick<Context, 'config' | 'instance'>): string {
  const configured = config.files.publicUrl ?? config.social.publicUrl;
  return configured ?? instance.addresses[0]?.replace(/\/+$/, '') ?? 'http://localhost';
}
