import { Checkbox, Group, Input, NativeSelect, Text, TextInput } from '@mantine/core';
import { saveSignInProvider } from '#contract/calls/sign-in-provider.ts';
import type { SignInProviderReply } from '#contract/sign-in-provider.ts';
import { providerKinds, providerNames, type ProviderKind } from '#core/sign-in-provider.ts';
import { ConflictChoice } from '../../components/conflict-choice.tsx';
import { CopyButton } from '../../components/copy-button.tsx';
import { DialogForm } from '../../components/dialog.tsx';
import { PasswordField } from '../../components/password-field.tsx';
import { useDialogEdits } from '../../components/use-edits.ts';
import { toSend } from '../../data/edits.ts';
import { useAction } from '../../data/queries.ts';
import { seenProvider } from './seen-provider.ts';

const kinds = providerKinds.map((value) => ({ value, label: providerNames[value] }));
const microsoftIssuer = 'https://login.microsoftonline.com/<Directory (tenant) ID>/v2.0';
const issuers: Readonly<Record<ProviderKind, string>> = {
  microsoft: '',
  google: 'https://accounts.google.com',
  other: '',
};

interface ProviderDialogProps {
  provider: SignInProviderReply | null;
  redirectUri: string;
  onClose: () => void;
}

const onOrOff = (value: unknown): string => (value === true ? 'On' : 'Off');
const kindOf = (value: unknown): ProviderKind => providerKinds.find((one) => one === value) ?? 'microsoft';
const domainsOf = (text: unknown): string[] =>
  String(text)
    .split(/[\s,;]+/)
    .filter(Boolean);

/** The edits of the form, and what saves them. */
function useProviderForm(provider: SignInProviderReply | null, onSaved: () => void) {
  const save = useAction(saveSignInProvider, {
    changes: ['sign-in-provider'],
    onSuccess: onSaved,
    onError: () => undefined,
  });
  const saved = {
    kind: kindOf(provider?.kind),
    issuer: provider?.issuer ?? '',
    client_id: provider?.client_id ?? '',
    client_secret: '',
    domains: provider?.domains.join(', ') ?? '',
    covers_second_step: provider?.covers_second_step ?? false,
  };
  const form = useDialogEdits(saved, save);
  const { draft } = form;
  const kind = kindOf(draft['kind']);
  const textOf = (key: keyof typeof saved) => String(draft[key]);
  const submit = () => {
    const { client_secret: _secret, domains, ...seen } = toSend(saved, form.edits, Object.keys(saved)).was;
    const secret = textOf('client_secret').trim();
    save.mutate({
      body: {
        kind,
        issuer: textOf('issuer'),
        client_id: textOf('client_id'),
        ...(secret !== '' && { client_secret: secret }),
        domains: domainsOf(draft['domains']),
        covers_second_step: draft['covers_second_step'] === true,
        was: provider === null ? seenProvider(null) : { ...seen, domains: domainsOf(domains) },
      },
    });
  };
  return { form, saved, kind, textOf, submit };
}

/** The form for the client’s provider. */
export function ProviderDialog({ provider, redirectUri, onClose }: ProviderDialogProps) {
  const { form, saved, kind, textOf, submit } = useProviderForm(provider, onClose);
  const { draft, errorOf, state } = form;
  const field = (key: keyof typeof saved) => ({
    value: textOf(key),
    error: errorOf(key),
    onChange: (event: { currentTarget: { value: string } }) => form.change(key, event.currentTarget.value),
  });
  const choiceOf = (key: keyof typeof saved, show: (value: unknown) => string = String) => (
    <ConflictChoice name={key} form={form} saved={show(saved[key]) || 'none'} own={show(draft[key]) || 'none'} />
  );
  return (
    <DialogForm submitLabel="Save" {...state} onSubmit={submit} onCancel={onClose}>
      <NativeSelect
        label="Provider"
        data={kinds}
        data-autofocus
        {...field('kind')}
        onChange={(event) => {
          const chosen = kindOf(event.currentTarget.value);
          form.change('kind', chosen);
          form.change('issuer', issuers[chosen]);
        }}
      />
      {choiceOf('kind', (value) => providerNames[kindOf(value)])}
      <RedirectUri uri={redirectUri} />
      <TextInput
        label="Issuer"
        description={kind === 'microsoft' ? microsoftIssuer : undefined}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        {...field('issuer')}
      />
      {choiceOf('issuer')}
      <TextInput
        label="Client ID"
        description={kind === 'microsoft' ? 'Called “Application (client) ID” in Entra.' : undefined}
        autoComplete="off"
        spellCheck={false}
        {...field('client_id')}
      />
      {choiceOf('client_id')}
      <PasswordField
        label="Client secret"
        description={provider === null ? undefined : 'Leave empty to use the saved one.'}
        autoComplete="off"
        {...field('client_secret')}
      />
      <TextInput
        label="Email domains"
        description="Domains of your users’ email addresses, separated by commas."
        placeholder="example.com"
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        {...field('domains')}
      />
      {choiceOf('domains')}
      <Checkbox
        label="The provider checks the second step"
        description="Tallybridge asks for no code after company sign-in."
        checked={draft['covers_second_step'] === true}
        error={errorOf('covers_second_step')}
        onChange={(event) => form.change('covers_second_step', event.currentTarget.checked)}
      />
      {choiceOf('covers_second_step', onOrOff)}
    </DialogForm>
  );
}

/** The address that the administrator registers at the provider. */
const RedirectUri = ({ uri }: { uri: string }) => (
  <Input.Wrapper label="Redirect URI" description="Register this address at the provider.">
    <Group gap="sm" wrap="nowrap" justify="space-between">
      <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
        {uri}
      </Text>
      <CopyButton text={uri} label="Copy the redirect URI" />
    </Group>
  </Input.Wrapper>
);
