import type { AnalyticsClient } from './analytics.ts';

/**
 * Nobody is told anything. An installation that measures use puts its own client here; the content security policy lets it
 * talk to this origin alone.
 */
export const ANALYTICS_CLIENT: AnalyticsClient | null = null;
