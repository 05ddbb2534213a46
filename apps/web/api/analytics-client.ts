/**
 * Receives usage events. They contain our own ids and words, and never a name, an address, an amount, or text that someone
 * typed.
 */
export interface AnalyticsClient {
  identify(person: { user_id: number; user_type: string }): void;
  track(event: string, details: Readonly<Record<string, string | number | boolean>>): void;
  /** Forgets the person and everything stored in this browser. */
  reset(): void;
}

/**
 * By default no usage is measured. An installation that wants to measure it sets its own client here, which can only reach this
 * origin because of the Content-Security-Policy.
 */
export const ANALYTICS_CLIENT: AnalyticsClient | null = null;
