import { onOff, serviceUrl } from '../../config/kinds.ts';
import { set, unset } from '../../config/option.ts';

export const socialSettings = {
  rss: set(
    'rss',
    onOff,
    'off',
    'Whether everybody can read the public posts of members and hashtags as RSS, without a sign-in',
  ),
  publicUrl: unset(
    'public_url',
    serviceUrl,
    'What addresses in RSS feeds begin with, such as https://home.example; without it, the address that the server listens on',
  ),
};
