/** Selects the text of a list with a search, so that typing replaces the chosen option. */
export const selectText = ({ currentTarget }: { readonly currentTarget: HTMLInputElement }): void =>
  currentTarget.select();
