import type { SignInProviderReply } from '#contract/sign-in-provider.ts';

/** Returns the values of a provider that the user sees, for the check whether another user changed them. */
export const seenProvider = (provider: SignInProviderReply | null) => ({
  kind: provider?.kind ?? null,
  issuer: provider?.issuer ?? null,
  client_id: provider?.client_id ?? null,
  domains: provider?.domains ?? null,
  covers_second_step: provider?.covers_second_step ?? null,
});
