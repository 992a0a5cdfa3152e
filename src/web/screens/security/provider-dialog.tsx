import { Checkbox, Group, Input, NativeSelect, Text, TextInput } from '@mantine/core';
import { saveSignInProvider } from '#contract/calls/sign-in-provider.ts';
import type { SignInProviderReply } from '#contract/sign-in-provider.ts';
import type { ProviderKind } from '#core/sign-in-provider.ts';
import { CopyButton } from '../../components/copy-button.tsx';
import { DialogForm } from '../../components/dialog.tsx';
import { PasswordField } from '../../components/password-field.tsx';
import { useCallForm } from '../../components/use-call-form.ts';
import { useAction } from '../../data/queries.ts';

const kinds: { value: ProviderKind; label: string }[] = [
  { value: 'microsoft', label: 'Microsoft Entra ID' },
  { value: 'google', label: 'Google Workspace' },
  { value: 'other', label: 'Other (OpenID Connect)' },
];
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

type Values = {
  kind: ProviderKind;
  issuer: string;
  client_id: string;
  client_secret: string;
  domains: string;
  covers_second_step: boolean;
};

/** The form for the client’s provider. */
export function ProviderDialog({ provider, redirectUri, onClose }: ProviderDialogProps) {
  const save = useAction(saveSignInProvider, {
    changes: ['sign-in-provider'],
    onSuccess: onClose,
    onError: () => undefined,
  });
  const { field, state, values, setValues } = useCallForm<Values>(
    {
      kind: provider?.kind ?? 'microsoft',
      issuer: provider?.issuer ?? '',
      client_id: provider?.client_id ?? '',
      client_secret: '',
      domains: provider?.domains.join(', ') ?? '',
      covers_second_step: provider?.covers_second_step ?? false,
    },
    save,
  );
  const submit = () => {
    const { client_secret: secret, domains, ...rest } = values;
    const body = { ...rest, domains: domains.split(/[\s,;]+/).filter(Boolean) };
    save.mutate({ body: secret.trim() === '' ? body : { ...body, client_secret: secret } });
  };
  const { checked: _checked, value: _value, ...covers } = field('covers_second_step');
  return (
    <DialogForm submitLabel="Save" {...state} onSubmit={submit} onCancel={onClose}>
      <NativeSelect
        label="Provider"
        data={kinds}
        data-autofocus
        {...field('kind')}
        onChange={(event) => {
          const kind = kinds.find(({ value }) => value === event.currentTarget.value)?.value ?? 'other';
          setValues({ kind, issuer: issuers[kind] });
        }}
      />
      <RedirectUri uri={redirectUri} />
      <TextInput
        label="Issuer"
        description={values.kind === 'microsoft' ? microsoftIssuer : undefined}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        {...field('issuer')}
      />
      <TextInput
        label="Client ID"
        description={values.kind === 'microsoft' ? 'Called “Application (client) ID” in Entra.' : undefined}
        autoComplete="off"
        spellCheck={false}
        {...field('client_id')}
      />
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
      <Checkbox
        label="The provider checks the second step"
        description="Tallybridge asks for no code after company sign-in."
        checked={values.covers_second_step}
        {...covers}
      />
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
