import type { Metadata } from 'next';

export { SettingsPage as default } from '../../../settings/settings-page.tsx';

export const metadata: Metadata = { title: 'Settings' };
