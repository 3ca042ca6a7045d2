package com.intellij.ide.passwordSafe;

import com.intellij.credentialStore.CredentialAttributes;
import org.jetbrains.annotations.NotNull;
import org.jetbrains.annotations.Nullable;

/** Stands for platform/credential-store/src/ide/passwordSafe/PasswordStorage.kt. */
public interface PasswordStorage {
    @Nullable String getPassword(@NotNull CredentialAttributes attributes);

    void setPassword(@NotNull CredentialAttributes attributes, @Nullable String password);
}
