import type { Metadata } from 'next';

export { HomePage as default } from '../../../home/home-page.tsx';

export const metadata: Metadata = { title: 'Home' };
