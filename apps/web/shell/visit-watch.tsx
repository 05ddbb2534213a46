'use client';

import { usePathname } from 'next/navigation';
import { useEffect } from 'react';
import { identify, pageOf, track } from '../api/analytics.ts';

/** Tells the analytics client who is here and which page they see; nobody, unless an installation has one. */
export function VisitWatch({ userId, userType }: { userId: number; userType: string }) {
  const page = pageOf(usePathname());
  useEffect(() => identify({ user_id: userId, user_type: userType }), [userId, userType]);
  useEffect(() => track('page_viewed', { page }), [page]);
  return null;
}
