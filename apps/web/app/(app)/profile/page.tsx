import type { Metadata } from 'next';

export { ProfilePage as default } from '../../../profile/profile-page.tsx';

export const metadata: Metadata = { title: 'Profile' };
