/** What a tool that measures use is told: numbers and words of ours, never a name, an address, an amount or a text. */
export interface AnalyticsClient {
  /** Who is here from now on. */
  identify(person: { user_id: number; user_type: string }): void;
  /** Something happened. */
  track(event: string, details: Readonly<Record<string, string | number | boolean>>): void;
  /** Forgets whom it knew and what it keeps in this browser. */
  reset(): void;
}

/**
 * Nobody is told anything. An installation that measures use puts its own client here; the content security policy lets it
 * talk to this origin alone.
 */
export const ANALYTICS_CLIENT: AnalyticsClient | null = null;
